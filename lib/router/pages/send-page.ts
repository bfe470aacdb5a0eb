import type { ServerResponse } from 'node:http';
import { sendText } from '../http/answer.ts';
import type { Html } from './html.ts';

export const HTML_TYPE = 'text/html; charset=utf-8';

/** Answers a page. */
export function sendPage(response: ServerResponse, status: number, page: Html): void {
  sendText(response, status, HTML_TYPE, page.text);
}

/** Sends the browser to another address of this host, with a GET. */
export function redirect(response: ServerResponse, location: string): void {
  response.writeHead(303, { Location: location, 'Content-Length': 0 });
  response.end();
}
