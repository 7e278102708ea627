import { useEffect } from 'react'
import { visibleText } from './visible-text.ts'

export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${visibleText(title)} · Agents`
  }, [title])
}
