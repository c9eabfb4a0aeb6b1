import { AppError } from "../../shared/errors.ts";

export type Failure = AppError;
