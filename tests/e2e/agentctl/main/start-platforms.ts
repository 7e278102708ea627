import type { TestProject } from 'vitest/node'
import { startSharedPlatforms } from '../../../support/agentctl/shared-platforms.ts'

const settings = {
  JANGAR_WEBHOOKS_ENABLED: 'true',
  JANGAR_AGENTS_CONTROLLER_SERVICE_ACCOUNTS_ALLOWED: 'nobody',
}

/** A platform for each of the two workers. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { platforms, stop } = await startSharedPlatforms(2, settings, '--http-port', '0')
  project.provide('platforms', platforms)
  return stop
}
