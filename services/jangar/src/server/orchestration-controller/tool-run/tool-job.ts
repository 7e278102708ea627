import type { ToolRun } from '@agents/jangar-api'
import type { Container, EnvVar, JobSpec } from '@agents/kube'
import type { ControllersConfig } from '../../../config/controllers.ts'
import { podPaths } from '../../../run-contract/pod-paths.ts'
import { jobName } from '../../jobs/attempt-names.ts'
import type { AttemptObjects } from '../../jobs/attempt-objects.ts'
import { containerNames } from '../../jobs/container-names.ts'
import { literal } from '../../jobs/literal.ts'
import { containerSecurity } from '../../jobs/pod-security.ts'
import { jobDeadline, podSettings } from '../../jobs/pod-settings.ts'
import { annotations, labels, labelValue } from '../../kubernetes/labels.ts'
import { outputsVariable } from '../../supporting-primitives-controller/tool/tool-variables.ts'
import type { ToolWork } from './tool-resolution.ts'
import { toolRunKind } from './tool-run-kind.ts'

type Runner = ControllersConfig['runner']

export interface ToolJobPorts {
  readonly runner: Runner
  /** The W3C traceparent of an attempt, by its Job. If omitted, nothing is traced. */
  readonly traceparent?: ((run: ToolRun, job: string) => string) | undefined
}

/** The Job of one attempt. A tool needs no documents: its parameters are arguments and variables. */
export function toolJob(
  run: ToolRun,
  work: ToolWork,
  attempt: number,
  { runner, traceparent }: ToolJobPorts,
): AttemptObjects {
  const { name, namespace } = run.metadata
  const label = labelValue(name)
  const metadata = {
    labels: {
      [labels.toolRun]: label,
      ...(work.memory === undefined && { [labels.tool]: labelValue(work.tool.metadata.name) }),
      [labels.attempt]: `${attempt}`,
    },
    ...(label !== name && { annotations: { [annotations.toolRun]: name } }),
  }
  const job = jobName(name, { attempt, ofKind: toolRunKind.jobs })
  return {
    configMaps: [],
    superseded: [],
    job: {
      metadata: { ...metadata, ...(namespace !== undefined && { namespace }), name: job },
      spec: jobSpec(work, metadata, { runner, traceparent: traceparent?.(run, job) }),
    },
  }
}

/** Sets no TTL: the Job must not be deleted before its outcome is recorded. */
function jobSpec(
  work: ToolWork,
  metadata: NonNullable<JobSpec['template']['metadata']>,
  { runner, traceparent }: { readonly runner: Runner; readonly traceparent: string | undefined },
): JobSpec {
  const { automountServiceAccountToken, podSecurityContext } = work.tool.spec
  const settings = { automountServiceAccountToken, podSecurityContext }
  return {
    // A tool may have effects that must not be repeated: the run decides about another attempt.
    backoffLimit: 0,
    ...jobDeadline(work.decided.runTimeoutSeconds),
    template: {
      metadata,
      spec: {
        ...podSettings(settings, work.serviceAccount, runner),
        containers: [container(work, runner, traceparent)],
      },
    },
  }
}

function container(work: ToolWork, runner: Runner, traceparent: string | undefined): Container {
  const { tool, image, command, args } = work
  const { workingDir, resources } = tool.spec
  const { requests, limits } = resources ?? {}
  // The policy of the default image; an image that a tool specifies may need another one.
  const imagePullPolicy = image === runner.image ? runner.imagePullPolicy : undefined
  return {
    name: containerNames.tool,
    image,
    ...(imagePullPolicy !== undefined && { imagePullPolicy }),
    ...(command.length > 0 && { command: command.map(literal) }),
    ...(args.length > 0 && { args: args.map(literal) }),
    ...(workingDir !== undefined && { workingDir }),
    env: environment(work, traceparent),
    ...(resources && { resources: { ...(requests && { requests }), ...(limits && { limits }) } }),
    securityContext: containerSecurity(),
    terminationMessagePath: podPaths.terminationMessage,
    // FallbackToLogsOnError would copy unmasked output to the pod's status. The controller masks the log itself.
    terminationMessagePolicy: 'File',
  }
}

/** By which the program of a tool continues the trace. */
const traceparentVariable = 'TRACEPARENT'

/**
 * Nothing is expanded by Kubernetes, not even what the author of the tool wrote: a parameter `(TOKEN)` after the
 * author's `$` would put the value of a Secret into an argument.
 */
function environment({ tool, values }: ToolWork, traceparent: string | undefined): EnvVar[] {
  const isOwn = tool.spec.env?.some(({ name }) => name === traceparentVariable) === true
  return [
    ...(traceparent === undefined || isOwn
      ? []
      : [{ name: traceparentVariable, value: traceparent }]),
    ...values.map(([name, value]) => ({ name, value: literal(value) })),
    ...(tool.spec.env ?? []).flatMap(({ name, valueFrom }) =>
      valueFrom ? [{ name, valueFrom: { secretKeyRef: { ...valueFrom.secretKeyRef } } }] : [],
    ),
    { name: outputsVariable, value: podPaths.terminationMessage },
  ]
}
