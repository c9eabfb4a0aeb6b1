import { request } from "node:https";

export const open = (url: string): unknown => [fetch(url), request(url)];
