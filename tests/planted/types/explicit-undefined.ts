const options: { limit?: number } = { limit: undefined };

export const { limit } = options;
