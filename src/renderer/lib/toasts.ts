import { Toast } from "@base-ui/react/toast";

/** Short news at the edge of the window; `toasts.add({ title, actionProps })` from anywhere. Shown by shell/Toasts. */
export const toasts = Toast.createToastManager();
