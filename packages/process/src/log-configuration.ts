import { type ConfigOf, type Declaration, describeConfig } from '@agents/config'
import type { Logger } from '@agents/log'

/** Logs the effective value of every setting that has one, defaults included. Secrets are masked. */
export function logConfiguration<const D extends Declaration>(
  log: Logger,
  settings: D,
  config: ConfigOf<D>,
): void {
  const displayed = Object.entries(describeConfig(settings, config))
  // The log masks by name, so an unset secret would look like a set one.
  log.info(
    'configuration',
    Object.fromEntries(displayed.filter(([, value]) => value !== 'not set')),
  )
}
