import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./App.tsx";

const root = document.getElementById("root");
if (!root)
  throw new Error("index.html has no element with the id root: the page and its script do not belong together.");
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
