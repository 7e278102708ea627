import { redactAssignments } from './assignments.ts'
import { redactNamedValues } from './named-values.ts'
import { redactPem } from './pem.ts'
import { redactSecretManifests } from './secret-manifests.ts'
import { redactTokens } from './tokens.ts'
import { redactUrls } from './urls.ts'

/**
 * The text with every secret that can be told by its form or by the name before it masked.
 * Takes time in proportion to the text's length, whatever the text.
 */
export function redact(text: string): string {
  return RULES.reduce((redacted, rule) => rule(redacted), text)
}

// What spans most goes first, so that a later rule never sees half a secret.
const RULES = [
  redactPem,
  redactSecretManifests,
  redactUrls,
  redactNamedValues,
  redactAssignments,
  redactTokens,
]
