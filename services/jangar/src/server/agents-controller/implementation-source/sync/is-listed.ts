import type { ImplementationSource } from '@agents/jangar-api'

/** Whether the spec asks for lists of the issues, and not for webhooks alone. */
export function wantsLists({ provider, vcsRef, auth }: ImplementationSource['spec']): boolean {
  if (provider === 'linear') return auth?.apiKeySecretRef !== undefined
  return provider !== 'generic' && vcsRef !== undefined
}

/** Whether the issues of the source can be listed. */
export function isListed({ metadata, spec }: ImplementationSource): boolean {
  const isNamed = spec?.provider === 'linear' || spec?.scope?.repository !== undefined
  return isNamed && wantsLists(spec) && metadata.deletionTimestamp === undefined
}
