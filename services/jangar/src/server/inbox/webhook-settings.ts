import { type Environment, parseConfig } from '@agents/config'
import { agentsController, webhooks } from '../../config/agents-controller.ts'
import type { WebhookSettings } from './open-webhooks.ts'

/**
 * How a control plane that runs inside another process takes deliveries, except for the database. Undefined if it takes
 * none.
 */
export function webhookSettings(
  environment: Environment,
): Omit<WebhookSettings, 'database'> | undefined {
  const config = parseConfig({ webhooks, agents: agentsController }, environment)
  if (!config.webhooks.enabled) return undefined
  const { queueSize } = config.webhooks
  return { queueSize, refusedSecrets: config.agents.admission.platformSecrets }
}
