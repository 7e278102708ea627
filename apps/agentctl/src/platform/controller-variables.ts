import { join } from 'node:path'
import { localRunnerImage } from './container-runtime.ts'
import type { StateFolder } from './state-folder.ts'

/** Settings of the controllers that differ between a single machine and a cluster. */
const local: Readonly<Record<string, string>> = {
  JANGAR_AGENTS_CONTROLLER_NAMESPACES: '*',
  JANGAR_ORCHESTRATION_CONTROLLER_NAMESPACES: '*',
  JANGAR_SUPPORTING_CONTROLLER_NAMESPACES: '*',
  JANGAR_RBAC_CLUSTER_SCOPED: 'true',
  // Runs without an image need a default one; pods that run as processes ignore it.
  JANGAR_AGENT_RUNNER_IMAGE: localRunnerImage,
}

/**
 * The environment variables of the controllers: those of the shell override the local ones. OpenTelemetry variables
 * are often set for other programs; without an endpoint they are ignored.
 */
export function controllerVariables(
  environment: Readonly<Record<string, string | undefined>>,
  { root }: Pick<StateFolder, 'root'>,
): Record<string, string | undefined> {
  const hasCollector = Boolean(environment.OTEL_EXPORTER_OTLP_ENDPOINT)
  const wanted = hasCollector ? /^(JANGAR|OTEL)_/ : /^JANGAR_/
  const own = Object.entries(environment).filter(([name]) => wanted.test(name))
  const artifacts = {
    JANGAR_ARTIFACTS_STORE: 'file',
    JANGAR_ARTIFACTS_FOLDER: join(root, 'artifacts'),
  }
  return { ...local, ...artifacts, ...Object.fromEntries(own) }
}
