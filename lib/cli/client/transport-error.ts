/** What a failed connection means to the user. */
import { codeOf } from '../../base/errors.ts';
import { TransportError } from './client-error.ts';

export function unreadable({ origin }: URL, why: string): TransportError {
  return new TransportError('broken', `${origin} sent an answer that cannot be read: ${why}.`, []);
}

export function abortReason(signal: AbortSignal | null): Error {
  return signal?.reason instanceof Error ? signal.reason : new Error('ended');
}

export function timeoutError(url: URL, timeout: number): TransportError {
  return new TransportError('timeout', `${url.origin} did not answer within ${timeout / 1_000} s.`, [
    'Give it more time with --timeout 2m, or check its state: wl health',
  ]);
}

const SET_HOST = 'Another server: --host URL, or WINDLASS_HOST, or `wl config set host URL`.';

/** Errors that no connection can cause stay: they are bugs. */
export function transportError(error: unknown, { origin, host }: URL): Error {
  if (error instanceof TransportError) return error;
  if (!(error instanceof Error)) return new Error('a request failed', { cause: error });
  const told = error.name === 'HTTPParserError' ? error.name : codeOf(error);
  const code = told === 'UND_ERR_SOCKET' ? 'ECONNRESET' : told; // the other side closed it
  if (code === 'ECONNREFUSED') {
    return new TransportError('refused', `Could not connect to ${origin}: connection refused.`, [
      'Is the server running? `wl serve` starts one on this machine.',
      SET_HOST,
    ]);
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return new TransportError('unknown-host', `Could not resolve the host ${host} (${code}).`, [SET_HOST]);
  }
  if (CERTIFICATE.test(code)) {
    return new TransportError(
      'certificate',
      `The certificate of ${origin} is not trusted: ${error.message} (${code}).`,
      ['Set NODE_EXTRA_CA_CERTS to the certificate of the authority that signed it.'],
    );
  }
  if (code === 'HTTPParserError' || code === 'EPROTO' || code.startsWith('ERR_SSL')) {
    return new TransportError(
      'broken',
      `${origin} did not answer with HTTP (${code}). Did you mix up http and https?`,
      [SET_HOST],
    );
  }
  if (NETWORK.test(code)) {
    return new TransportError('broken', `The connection to ${origin} was lost (${code}).`, [
      'Check the server: wl health',
    ]);
  }
  return error;
}

const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_(?:GET_ISSUER|VERIFY)|ERR_TLS/;
const NETWORK =
  /^(?:ECONN\w+|EPIPE|E(?:HOST|NET)UNREACH|ENET\w+|ETIMEDOUT|EADDRNOTAVAIL|UND_\w+|ERR_STREAM_PREMATURE_CLOSE|ABORT_ERR)$/;
