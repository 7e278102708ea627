import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { Button } from '../parts/button.tsx'
import { Select, TextField } from '../parts/field.tsx'
import type { RunSearch } from './run-search.ts'

const kinds = [
  ['', 'All kinds'],
  ['AgentRun', 'AgentRun'],
  ['OrchestrationRun', 'OrchestrationRun'],
  ['ToolRun', 'ToolRun'],
] as const

const phases = [
  ['', 'Any phase'],
  ...['Pending', 'Running', 'Succeeded', 'Failed', 'Cancelled'].map(
    (each) => [each, each] as const,
  ),
] as const

/** Typing asks the server only when it pauses. */
const pauseMs = 250

/** The filters, which are those of the address. */
export function RunFilters({ search }: { readonly search: RunSearch }) {
  const navigate = useNavigate({ from: '/runs' })
  const set = (change: Partial<Record<keyof RunSearch, string>>): void => {
    const all = { ...search, ...change }
    const kept = Object.entries(all).filter(([, value]) => value !== '')
    void navigate({ search: Object.fromEntries(kept) as RunSearch, replace: true })
  }
  const isFiltered = Object.keys(search).length > 0
  return (
    <search className="filters" aria-label="Filters of the list" data-search>
      <TypedFilter label="Agent" value={search.agent} onChange={(agent) => set({ agent })} />
      <TypedFilter
        label="Namespace"
        value={search.namespace}
        onChange={(namespace) => set({ namespace })}
      />
      <TypedFilter
        label="Labels"
        placeholder="team=core, urgent"
        value={search.label}
        onChange={(label) => set({ label })}
      />
      <Select
        label="Phase"
        value={search.phase ?? ''}
        options={phases}
        onChange={(phase) => set({ phase })}
      />
      <Select
        label="Kind"
        value={search.kind ?? ''}
        options={kinds}
        onChange={(kind) => set({ kind })}
      />
      {isFiltered && (
        <Button onClick={() => void navigate({ search: {}, replace: true })}>Clear</Button>
      )}
    </search>
  )
}

interface TypedFilterProps {
  readonly label: string
  readonly value: string | undefined
  readonly placeholder?: string
  readonly onChange: (value: string) => void
}

function TypedFilter({ label, value = '', placeholder = 'any', onChange }: TypedFilterProps) {
  const [typed, setTyped] = useState(value)
  const [known, setKnown] = useState(value)
  if (known !== value) {
    // The address has changed by other means, such as the back button.
    setKnown(value)
    setTyped(value)
  }
  useEffect(() => {
    if (typed === value) return
    const timer = setTimeout(() => onChange(typed), pauseMs)
    return () => clearTimeout(timer)
  }, [typed, value, onChange])
  return <TextField label={label} value={typed} placeholder={placeholder} onChange={setTyped} />
}
