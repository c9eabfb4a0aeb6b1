const PRIVATE = "private-";

/** Whether a chat lives in memory only and leaves nothing on disk: its id says so, wherever it turns up. */
export const isPrivate = (chatId: string): boolean => chatId.startsWith(PRIVATE);

/** The id of a new chat, made of a fresh `id`. */
export const chatIdOf = (id: string, { private: hidden }: { private: boolean }): string =>
  hidden ? `${PRIVATE}${id}` : id;
