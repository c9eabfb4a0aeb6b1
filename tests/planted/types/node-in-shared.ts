export const home = process.env;
