/**
 * What the server’s refusal says of single fields of a form: of one by `field`, of several by `errors`. Pure.
 */
import { ApiError } from '../../api/client';

/** `of`: the names of the fields that the form has. Nothing for an error that names none of them. */
export function refusedFields(reason: Error, of: RegExp): Record<string, string> {
  if (!(reason instanceof ApiError)) {
    return {};
  }
  const { detail, message } = reason;
  const errors = Array.isArray(detail.errors) ? (detail.errors as unknown[]) : [];
  const told: Record<string, string> = {};
  for (const error of [...errors, { field: detail.field, message }]) {
    const { field, message: text } = error as { field?: unknown; message?: unknown };
    if (typeof field === 'string' && of.test(field) && typeof text === 'string') {
      told[field] ??= text;
    }
  }
  return told;
}
