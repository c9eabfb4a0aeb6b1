import "./db/open.ts";
