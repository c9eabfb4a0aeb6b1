export const open = (url: string): WebSocket => new WebSocket(url);
