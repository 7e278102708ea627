import { type ResourceCache, resourceCache } from '@agents/controller'
import { type SecretBinding, secretBinding } from '@agents/jangar-api'
import { type Informers, kindRef } from '@agents/kube'
import { secretBindingIndexers } from '../primitives-policy/secret-bindings.ts'

/** The SecretBindings, indexed by subject. Every group of controllers reads them. */
export function secretBindingsCache(
  informers: Informers,
  namespaces: readonly string[],
): ResourceCache<SecretBinding> {
  return resourceCache(informers, kindRef<SecretBinding>(secretBinding), namespaces, {
    indexers: secretBindingIndexers,
  })
}
