package casecheck_test
import ("testing";"encoding/json";"os"
"github.com/holdfast-gitops/holdfast/tests/casecheck"
"github.com/holdfast-gitops/holdfast/tests/casecheck/casefile"
"github.com/holdfast-gitops/holdfast/tests/cluster")
func TestDebug(t *testing.T){
 if os.Getenv("DBG")=="" {t.Skip()}
 r,err:=casecheck.New(t.Context(),cluster.Get(t)); if err!=nil{t.Fatal(err)}
 c,err:=casefile.Load(os.Getenv("DBG")); if err!=nil{t.Fatal(err)}
 for _,x:=range r.Debug(t.Context(),c){ b,_:=json.MarshalIndent(x,""," "); t.Log(string(b))}
}
