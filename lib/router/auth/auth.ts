/** /auth/*: how people log in. */
import type { Express } from 'express';
import type { RouterContext } from '../context.ts';
import { addEndpoint } from '../endpoint.ts';
import { asPage } from '../pages/page-policy.ts';
import { showLink, useLink } from './link.ts';
import { Login } from './login.ts';
import { logout } from './logout.ts';

export function addAuthEndpoints(app: Express, context: RouterContext): void {
  addEndpoint(app, '/auth/link', { methods: { get: asPage(showLink(context)), post: useLink(context) } });
  addEndpoint(app, '/auth/logout', { methods: { post: logout(context) } });
  const login = new Login(context);
  // Any name: the paths of /auth that are not providers come first.
  addEndpoint(app, '/auth/:provider', { methods: { get: login.begin() }, head: false });
  addEndpoint(app, '/auth/:provider/cb', { methods: { get: login.finish() }, head: false });
}
