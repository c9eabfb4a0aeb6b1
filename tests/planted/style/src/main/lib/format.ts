export const quote = 'single'
