import { useNavigate } from '@tanstack/react-router'
import { Button } from '../parts/button.tsx'
import { Select } from '../parts/field.tsx'
import { TypedFilter } from '../parts/typed-filter.tsx'
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

const sources = [
  ['', 'Everywhere'],
  ['cluster', 'Cluster'],
  ['archive', 'Archive'],
] as const

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
      <TypedFilter
        label="Search"
        type="search"
        placeholder="words of a run"
        value={search.text}
        onChange={(text) => set({ text })}
      />
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
      <Select
        label="Where"
        value={search.source ?? ''}
        options={sources}
        onChange={(source) => set({ source })}
      />
      <TypedFilter
        label="Created since"
        type="date"
        value={search.since}
        onChange={(since) => set({ since })}
      />
      <TypedFilter
        label="Until"
        type="date"
        value={search.until}
        onChange={(until) => set({ until })}
      />
      {isFiltered && (
        <Button onClick={() => void navigate({ search: {}, replace: true })}>Clear</Button>
      )}
    </search>
  )
}
