export const load = (url: string): Promise<Response> => fetch(url);
