import { linearApi } from '@agents/forge'
import type { ImplementationSource } from '@agents/jangar-api'
import { isLoopback } from '../../../primitives-policy/loopback.ts'

/** Where the API of Linear is, or why it cannot be there. The key is never sent unencrypted. */
export function linearAddress({
  apiBaseUrl = linearApi,
}: Pick<ImplementationSource['spec'], 'apiBaseUrl'>):
  | { readonly baseUrl: string }
  | { readonly problem: string } {
  const url = URL.parse(apiBaseUrl)
  if (url === null || !/^https?:$/.test(url.protocol)) return wrong('is not a URL of https')
  if (url.username !== '' || url.password !== '') return wrong('contains a credential')
  if (url.search !== '' || url.hash !== '') return wrong('contains a query or a fragment')
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    return wrong('would send the key unencrypted; use https')
  }
  return { baseUrl: apiBaseUrl }
}

function wrong(what: string) {
  return { problem: `spec.apiBaseUrl ${what}` }
}
