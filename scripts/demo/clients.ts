/** The browsers of the demo's people. */
import { Choice } from './random.ts';

export interface Client {
  readonly mobile: boolean;
  /** Rendering engine, for incidents that hit only some. */
  readonly family: 'chromium' | 'safari' | 'firefox';
  readonly userAgent: string;
}

const WINDOWS = 'Windows NT 10.0; Win64; x64';
const MAC = 'Macintosh; Intel Mac OS X 10_15_7';

export const desktops = new Choice<Client>([
  [chromium(WINDOWS, '142.0.0.0'), 42],
  [chromium(MAC, '142.0.0.0'), 24],
  [chromium(WINDOWS, '142.0.0.0', ' Edg/142.0.0.0'), 12],
  [desktop('safari', `Mozilla/5.0 (${MAC}) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15`), 13],
  [desktop('firefox', 'Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0'), 4],
  [desktop('firefox', `Mozilla/5.0 (${WINDOWS}; rv:144.0) Gecko/20100101 Firefox/144.0`), 5],
]);

export const phones = new Choice<Client>([
  [phone('safari', 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1'), 55],
  [phone('chromium', 'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36'), 38],
  [phone('chromium', 'Mozilla/5.0 (Linux; Android 15; SAMSUNG SM-S921B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36'), 7],
]); // prettier-ignore

function chromium(platform: string, version: string, suffix = ''): Client {
  return desktop(
    'chromium',
    `Mozilla/5.0 (${platform}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${version} Safari/537.36${suffix}`,
  );
}

function desktop(family: Client['family'], userAgent: string): Client {
  return { mobile: false, family, userAgent };
}

function phone(family: Client['family'], userAgent: string): Client {
  return { mobile: true, family, userAgent };
}
