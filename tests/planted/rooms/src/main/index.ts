import "./electron/window.ts";
