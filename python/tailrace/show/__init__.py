"""Tables, figures and reports of results. How is it shown?"""
