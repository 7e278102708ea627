import type { FoundRun } from '@agents/client'
import { useMutation } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useConsoleData } from '../data/console-data.tsx'
import { Button } from '../parts/button.tsx'
import { Phase } from '../parts/phase.tsx'
import { Plain } from '../parts/plain.tsx'
import { Duration } from '../parts/time.tsx'
import { type GraphStep, placeSteps } from './layout.ts'

interface StepStatus {
  readonly name: string
  readonly kind?: string
  readonly phase?: string
  readonly message?: string
  readonly startedAt?: string
  readonly finishedAt?: string
  readonly attempt?: number
  readonly resourceRef?: { readonly kind?: string; readonly name?: string }
}

interface SpecStep {
  readonly name: string
  readonly kind?: string
  readonly dependsOn?: readonly string[]
}

const size = { width: 188, height: 62, gapX: 46, gapY: 16 }

/** The graph of an OrchestrationRun as it advances. */
export function GraphView({
  found,
  isFinished,
}: {
  readonly found: FoundRun
  readonly isFinished: boolean
}) {
  const { resource } = found
  const { steps, stepStatuses } = useMemo(() => graphOf(resource.status), [resource])
  const statuses = new Map(stepStatuses.map((status) => [status.name, status]))
  const places = new Map(placeSteps(steps).map((place) => [place.name, place]))
  const position = (name: string) => {
    const { column, row } = places.get(name) ?? { column: 0, row: 0 }
    return {
      x: column * (size.width + size.gapX),
      y: row * (size.height + size.gapY),
    }
  }
  const width = Math.max(...steps.map(({ name }) => position(name).x + size.width), 0)
  const height = Math.max(...steps.map(({ name }) => position(name).y + size.height), 0)
  if (steps.length === 0) return <p className="empty">No step is known yet.</p>
  return (
    <section
      className="graph"
      aria-label="Steps"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
      tabIndex={0}
    >
      <div className="graph-canvas" style={{ width, height }}>
        <svg width={width} height={height} aria-hidden="true">
          {steps.flatMap(({ name, dependsOn }) =>
            dependsOn
              .filter((other) => places.has(other))
              .map((other) => (
                <path key={`${other} ${name}`} d={edge(position(other), position(name))} />
              )),
          )}
        </svg>
        <ol>
          {steps.map(({ name, dependsOn }) => {
            const { x, y } = position(name)
            return (
              <li
                key={name}
                style={{ left: x, top: y, width: size.width, height: size.height }}
                title={statuses.get(name)?.message}
              >
                <StepNode
                  name={name}
                  dependsOn={dependsOn}
                  status={statuses.get(name)}
                  found={found}
                  isFinished={isFinished}
                />
              </li>
            )
          })}
        </ol>
      </div>
    </section>
  )
}

interface StepNodeProps extends GraphStep {
  readonly status: StepStatus | undefined
  readonly found: FoundRun
  readonly isFinished: boolean
}

function StepNode({ name, dependsOn, status, found, isFinished }: StepNodeProps) {
  const { client } = useConsoleData()
  const navigate = useNavigate()
  const { kind, namespace } = found.run
  const rerun = useMutation({
    mutationFn: () => client.repeatRun({ kind, namespace, name: found.run.name }, [name]),
    onSuccess: ({ run }) =>
      navigate({
        to: '/runs/$namespace/$name',
        params: { namespace: run.namespace, name: run.name },
        search: { kind: run.kind },
      }),
  })
  const { resourceRef, startedAt, finishedAt, attempt = 1 } = status ?? {}
  const child = resourceRef?.name
  return (
    <>
      <div className="step-title">
        {child !== undefined && /Run$/.test(resourceRef?.kind ?? '') ? (
          <Link
            to="/runs/$namespace/$name"
            params={{ namespace, name: child }}
            search={{ ...(resourceRef?.kind !== undefined && { kind: resourceRef.kind }) }}
          >
            <Plain text={name} />
          </Link>
        ) : (
          <Plain text={name} />
        )}
        {dependsOn.length > 0 && <span className="unseen">after {dependsOn.join(', ')}</span>}
        {isFinished && status?.phase !== undefined && (
          <Button
            label={`Run again from ${name}`}
            busy={rerun.isPending}
            obstacle={rerun.error === null ? undefined : rerun.error.message}
            onClick={() => rerun.mutate()}
          >
            ↻
          </Button>
        )}
      </div>
      <div className="step-state">
        <Phase phase={status?.phase ?? 'Pending'} />
        <span className="quiet">
          {attempt > 1 && `attempt ${attempt} · `}
          {startedAt !== undefined && <Duration from={startedAt} to={finishedAt} />}
        </span>
      </div>
    </>
  )
}

interface Graph {
  readonly steps: readonly GraphStep[]
  readonly stepStatuses: readonly StepStatus[]
}

/** The steps as the Orchestration had them when the run was accepted; those that only the run knows follow. */
function graphOf(status: unknown): Graph {
  const { stepStatuses = [], orchestration } = (status ?? {}) as {
    readonly stepStatuses?: readonly StepStatus[]
    readonly orchestration?: { readonly spec?: { readonly steps?: readonly SpecStep[] } }
  }
  const declared = (orchestration?.spec?.steps ?? []).map(({ name, dependsOn = [] }) => ({
    name,
    dependsOn,
  }))
  const names = new Set(declared.map(({ name }) => name))
  const others = stepStatuses
    .filter(({ name }) => !names.has(name))
    .map(({ name }) => ({ name, dependsOn: [] }))
  return { steps: [...declared, ...others], stepStatuses }
}

interface Point {
  readonly x: number
  readonly y: number
}

function edge(from: Point, to: Point): string {
  const [x1, y1] = [from.x + size.width, from.y + size.height / 2]
  const [x2, y2] = [to.x, to.y + size.height / 2]
  const middle = (x1 + x2) / 2
  return `M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`
}
