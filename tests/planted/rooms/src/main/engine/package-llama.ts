import { getLlama } from "node-llama-cpp";

export const llama = getLlama;
