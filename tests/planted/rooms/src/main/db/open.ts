import Database from "better-sqlite3";

export const open = (file: string): Database.Database => new Database(file);
