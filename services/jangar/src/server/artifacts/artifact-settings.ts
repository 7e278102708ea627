import { type Environment, parseConfig } from '@agents/config'
import { artifactLimits, artifacts } from '../../config/artifacts.ts'
import type { ArtifactSettings } from './api-artifacts.ts'

/** The settings of artifacts of a control plane that runs inside another process. */
export function artifactSettings(environment: Environment): ArtifactSettings {
  return parseConfig({ artifacts, artifactLimits }, environment)
}
