/** Requests and answers of sessions. */
import { z } from 'zod';

const time = () => z.iso.datetime();
export const loginSchema = z.strictObject({ secret: z.string({ error: 'a text' }) });

export const sessionSchema = z.strictObject({ expires_at: time() });

export const nothingSchema = z.strictObject({});
