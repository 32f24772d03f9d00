// How long something has been running.
import { useEffect, useState } from 'preact/hooks'

export function Elapsed({ since }: { readonly since: number }) {
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 100)
    return () => clearInterval(timer)
  }, [])
  return (
    <span class="quiet" role="timer">
      Running for {((now - since) / 1000).toFixed(1)} s
    </span>
  )
}
