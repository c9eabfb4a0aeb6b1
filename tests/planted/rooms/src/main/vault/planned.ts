export const key = "none";
