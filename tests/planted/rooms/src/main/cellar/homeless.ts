export const wine = "red";
