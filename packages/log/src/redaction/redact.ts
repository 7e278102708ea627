import { redactAssignments } from './assignments.ts'
import { redactNamedValues } from './named-values.ts'
import { redactPem } from './pem.ts'
import { redactSecretManifests } from './secret-manifests.ts'
import { redactTokens } from './tokens.ts'
import { redactUrls } from './urls.ts'

/**
 * Masks every secret that is recognised by its form or by the name before it. The time is linear in the length of the
 * text.
 */
export function redact(text: string): string {
  return rules.reduce((redacted, rule) => rule(redacted), text)
}

// Rules for the longest spans go first, so that a later rule never sees half a secret.
const rules = [
  redactPem,
  redactSecretManifests,
  redactUrls,
  redactNamedValues,
  redactAssignments,
  redactTokens,
]
