import { localRunnerImage } from './container-runtime.ts'

/** Where a single machine needs other settings of the controllers than a cluster. */
const local: Readonly<Record<string, string>> = {
  JANGAR_AGENTS_CONTROLLER_NAMESPACES: '*',
  JANGAR_ORCHESTRATION_CONTROLLER_NAMESPACES: '*',
  JANGAR_SUPPORTING_CONTROLLER_NAMESPACES: '*',
  JANGAR_RBAC_CLUSTER_SCOPED: 'true',
  // Runs that name no image get one; processes do not look at it.
  JANGAR_AGENT_RUNNER_IMAGE: localRunnerImage,
}

/**
 * The variables that the controllers are set by: those of the shell outrank the local ones. Variables of OpenTelemetry are often
 * there for other programs, in words that mean nothing here; without a collector nobody asked for traces of this one.
 */
export function controllerVariables(
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> {
  const hasCollector = Boolean(environment.OTEL_EXPORTER_OTLP_ENDPOINT)
  const wanted = hasCollector ? /^(JANGAR|OTEL)_/ : /^JANGAR_/
  const own = Object.entries(environment).filter(([name]) => wanted.test(name))
  return { ...local, ...Object.fromEntries(own) }
}
