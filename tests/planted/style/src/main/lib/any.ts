export const anything: any = 1;
