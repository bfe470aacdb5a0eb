import { AppError, type ErrorData } from '../../lib/base/errors.ts';

/** The error that `act` reports to a user. */
export async function refusal(act: () => unknown): Promise<ErrorData> {
  try {
    await act();
  } catch (error) {
    if (error instanceof AppError) return error.data;
    throw error;
  }
  throw new Error('nothing was thrown');
}

/** What came of a promise: its value, or the AppError with which it rejects, as data. */
export async function outcomeOf<T>(promised: Promise<T>): Promise<T | { readonly error: ErrorData }> {
  try {
    return await promised;
  } catch (error) {
    if (error instanceof AppError) return { error: error.data };
    throw error;
  }
}
