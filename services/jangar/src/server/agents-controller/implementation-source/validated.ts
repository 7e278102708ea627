import { type GateOf, pass, stall } from '@agents/controller'
import type { ImplementationSource, implementationSourceConditions } from '@agents/jangar-api'

type Spec = ImplementationSource['spec']
type ScopeField = keyof NonNullable<Spec['scope']>

/** What the deliveries of each system tell about an issue; nothing else can narrow. */
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
        `issues of ${provider} cannot be narrowed by ${unknown.join(', ')}; use ${known.join(', ')}`,
      )
    }
    if (webhook?.enabled !== true) {
      return stall(
        'WebhookDisabled',
        'deliveries are not received; set spec.webhook.enabled to true',
      )
    }
    return pass('Valid', 'the spec makes sense')
  },
}
