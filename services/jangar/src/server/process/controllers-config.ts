import { type Environment, parseConfig } from '@agents/config'
import { type ControllersConfig, controllers, controllersRules } from '../../config/controllers.ts'

/**
 * Parses the settings from the environment. If omitted, returns all defaults. Throws a ConfigError with all problems.
 */
export function controllersConfig(environment: Environment = {}): ControllersConfig {
  return parseConfig(controllers, environment, controllersRules)
}
