import type { FoundRun } from '@agents/client'
import { useMemo } from 'react'
import { useRunRequests } from '../approvals/use-run-requests.ts'
import { graphOf } from './graph.ts'
import { placeSteps } from './layout.ts'
import { StepNode } from './step-node.tsx'

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
  const isWaiting = !isFinished && found.run.archived !== true
  const { requests, obstacle } = useRunRequests(found.run.namespace, isWaiting)
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
                  {...{ isFinished, requests, obstacle }}
                />
              </li>
            )
          })}
        </ol>
      </div>
    </section>
  )
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
