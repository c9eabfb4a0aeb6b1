import { z } from "zod";

// zod looks whether it may make code from text, and the page's policy reports the look alone as an attack.
z.config({ jitless: true });
