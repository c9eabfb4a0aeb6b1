export { getLlama as llama } from "node-llama-cpp";
