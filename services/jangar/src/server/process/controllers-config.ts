import { type Environment, parseConfig } from '@agents/config'
import { type ControllersConfig, controllers, controllersRules } from '../../config/controllers.ts'

/** The settings in an environment; of an empty one, all defaults. Throws a ConfigError with everything that is wrong. */
export function controllersConfig(environment: Environment = {}): ControllersConfig {
  return parseConfig(controllers, environment, controllersRules)
}
