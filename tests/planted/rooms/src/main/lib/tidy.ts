export const tidy = (text: string): string => text.trim();
