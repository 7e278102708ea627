import { type GateOf, pass, stall } from '@agents/controller'
import type { ImplementationSource, implementationSourceConditions } from '@agents/jangar-api'

type Spec = ImplementationSource['spec']
type ScopeField = keyof NonNullable<Spec['scope']>

/** The scope fields that deliveries of each provider contain. */
const scopeFields: Readonly<Record<Spec['provider'], readonly ScopeField[]>> = {
  github: ['organization', 'repository', 'labels'],
  linear: ['team', 'project', 'labels'],
}

export const validated: GateOf<
  typeof implementationSourceConditions,
  'Validated',
  ImplementationSource
> = {
  condition: 'Validated',
  check: ({ spec: { provider, webhook, scope = {} } }) => {
    const known: readonly string[] = scopeFields[provider]
    const unknown = Object.keys(scope).filter((field) => !known.includes(field))
    if (unknown.length > 0) {
      return stall(
        'UnsupportedScope',
        `spec.scope of provider ${provider} does not support ${unknown.join(', ')}; use ${known.join(', ')}`,
      )
    }
    if (webhook?.enabled !== true) {
      return stall('WebhookDisabled', 'webhooks are disabled; set spec.webhook.enabled to true')
    }
    return pass('Valid', 'the spec is valid')
  },
}
