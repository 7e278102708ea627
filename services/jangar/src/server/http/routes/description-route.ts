import { describeApi } from '../describe-api.ts'
import { publicRoute, type Route } from '../route.ts'

/** The routes and the one that describes them all, itself included. */
export function withDescription(routes: readonly Route[], version: string): readonly Route[] {
  // One for all answers, which strangers may ask for and leave unread.
  let bytes: Buffer | undefined
  const described: readonly Route[] = [
    ...routes,
    publicRoute({
      method: 'GET',
      path: '/openapi.json',
      id: 'getDescription',
      summary: 'The description of this API in OpenAPI 3.1.',
      description: 'Generated from the declarations that the server checks requests with.',
      answers: { 200: { description: 'The description.', schema: { type: 'object' } } },
      handle: () => {
        bytes ??= Buffer.from(JSON.stringify(describeApi(described, version)))
        return { bytes, contentType: 'application/json; charset=utf-8' }
      },
    }),
  ]
  return described
}
