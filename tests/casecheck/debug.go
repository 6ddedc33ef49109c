package casecheck
import ("context"
"github.com/holdfast-gitops/holdfast/tests/casecheck/casefile")
func (r *Runner) Debug(ctx context.Context, c casefile.Case) []any {
 if err:=r.stage.State(ctx,c);err!=nil{return []any{err.Error()}}
 r.cluster.Invalidate()
 s,err:=r.observe(ctx,c); if err!=nil{return []any{err.Error()}}
 var out []any
 for _,o:=range s.objects { out=append(out,o.observation.Precision, o.observation.Failure, o.observation.Findings, o.observation.Evidence, o.observation.Restored, r.judge(o,s)) }
 return out
}
