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
