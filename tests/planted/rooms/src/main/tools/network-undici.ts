import { request } from "undici";

export const load = request;
