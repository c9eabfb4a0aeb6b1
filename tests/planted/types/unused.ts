const nobody = 1;

export const somebody = 2;
