from tests.support.page import PageClient
def test_it_smoke(clock, app, browser_of, site):
    a = browser_of("admin")
    for path in ["/users","/users/new","/groups","/groups/new","/users/1","/users/2","/users/3","/groups/1","/groups/1/deletion","/users/2/deletion","/users?q=ann&state=active"]:
        p = a.get(path)
        assert p.status == 200, (path, p.text[:300])
        print(path, p.text[:6000])
